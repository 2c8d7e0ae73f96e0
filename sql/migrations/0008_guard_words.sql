-- The words that the guard of near duplicates knows, in ten languages: what denies, counts, dates and measures, what was,
-- and what has one figure at a time.

set local role memoranda_owner;
set local search_path = memoranda_private, pg_temp;
grant create on schema memoranda_private to memoranda_rules;
set local role memoranda_rules;

-- What words mean to the guard, folded: word -> class, or class:value. A word that means something else in another
-- language is left out, or is listed as `turkish` and counts only there. Immutable and without arguments,
-- so that a session makes it once.
create function guard_words() returns jsonb
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
  with lists (class, words) as (values
    -- Words that say which language this is.
    ('german', 'der die das des dem den und mit fur ein eine einen einem einer bei zur zum wird werden gern seit nach am im auf von vom ist hat sind'),
    ('romance', 'um uma com em ao tem na nas da pela'),
    -- Whoever the memory is about: an article before them says nothing.
    ('user', 'user users nutzer nutzers nutzerin benutzer benutzers benutzerin anwender anwenderin utilisateur utilisatrice usuario usuaria
      utente пользователь пользователя пользователю пользователем пользовательница пользовательницы kullanici kullanicinin
      المستخدم للمستخدم المستخدمة 用户 用戶 使用者 ユーザー 利用者'),
    -- Words with another sign in them, which mean nothing to the guard.
    ('plain', '非常 除非 非洲 不错 不錯 不过 不過 不同 不但 不仅 不僅 不断 不斷 不久 对不起 差不多 不锈钢 不得不 无线 無線 无人机 未来 未來
      未婚 别人 特别 特別 区别 分别 别墅 性别 级别 类别 没关系 成都 首都 京都 都市 都会 東京都 东京都 日本 日语 日本語 日記 日常 日程
      危ない つまらない もったいない 間違いない かもしれない なければならない しか 一起 一直 一样 一定 一般 十分 三明治 万一 月光 年轻 年龄 分析 分享
      一个 一個 一名 一只 一隻 一位 一本 一种 一種 地点 重点 缺点 优点 特点 观点 小时候 不動産 不動産屋 無料 namaz komedi'),
    -- Negation.
    ('negation', 'no not non never none nobody nothing neither nor nowhere cannot without lack lacks lacking avoid avoids avoiding refuse refuses
      dont doesnt didnt isnt arent wasnt werent wont wouldnt cant couldnt shouldnt hasnt havent hadnt
      nicht nie niemals nichts niemand ohne weder nirgends kein keine keinen keinem keiner keines meidet vermeidet
      ne n pas jamais sans rien aucun aucune personne ni evite nunca jamas nada nadie ningun ninguno ninguna sin tampoco evita
      nao sem nem nenhum nenhuma ninguem jamais
      не нет ни никогда нельзя ничего никто никого без никакой никаких нигде избегает
      不 没 沒 没有 沒有 无 無 非 未 别 別 勿 从不 從不 从未 從未 不再 不能 不会 不會 从来没有 讨厌不
      ない 無い なかった ません ませんでした ません ず なく なくて
      degil hic asla hayir yok
      لا لم لن ليس ليست ليسوا لست غير بدون دون ابدا بلا يتجنب لايوجد'),
    -- Quantifiers.
    ('quantifier:all', 'all every each always everyone everybody everything entire whole
      alle allen aller alles jeder jede jedes jeden jedem immer stets samtliche ganze ganzen
      tout tous toute toutes chaque toujours todo todos toda todas cada siempre sempre
      все всех всем всегда каждый каждая каждое каждую каждого каждые
      所有 全部 每 每个 每天 都 总是 總是 一切 始终 すべて 全て 毎 毎日 毎週 毎月 毎年 いつも 常に みんな
      butun tum hepsi daima كل جميع دائما كافة'),
    ('turkish:quantifier:all', 'her'),
    ('quantifier:some', 'some several certain sometimes occasionally
      manche manchen mancher manchmal einige einigen gelegentlich ab certains certaines quelques parfois quelquefois plusieurs
      algunos algunas algun alguna varios veces alguns algumas vezes
      некоторые некоторых несколько иногда порой 一些 部分 有些 有的 有时 有時 有时候 偶尔 偶爾 一部 いくつか ときどき 時々 たまに
      bazi birkac bazen ara بعض احيانا بضعة'),
    ('quantifier:most', 'most mostly usually often generally majority meist meistens meisten oft haufig gewohnlich plupart souvent generalement
      habituellement mayoria suele menudo generalmente maioria geralmente frequentemente большинство обычно часто
      大多数 大部分 多数 通常 经常 經常 ほとんど たいてい 大抵 よく 多く cogu cogunlukla genellikle sik معظم اغلب غالبا عادة'),
    ('quantifier:few', 'few rarely seldom hardly barely selten kaum wenige wenigen rarement peu rara raramente pocos pocas poco poucos poucas
      редко мало немногие 很少 少数 极少 めったに 少ない 滅多に nadiren az نادرا قليل قليلا'),
    ('quantifier:only', 'only solely exclusively just merely nur lediglich ausschliesslich bloss seulement uniquement solo solamente unicamente somente
      apenas только лишь исключительно 只 仅 僅 仅仅 只有 只在 だけ のみ しか sadece yalnizca yalniz فقط الا'),
    ('accented:only', 'so'),                            -- só
    ('quantifier:both', 'both beide beiden ambos ambas оба обе 两者 両方 ikisi كلا كلاهما'),
    ('quantifier:more', 'more mehr mas больше более 更多 超过 以上 もっと daha اكثر'),
    ('quantifier:less', 'less fewer weniger menos меньше менее 更少 以下 少于 未満 اقل'),
    ('quantifier:almost', 'almost nearly fast presque casi quase почти 几乎 ほぼ neredeyse تقريبا'),
    ('quantifier:half', 'half halb halbe halfte moitie mitad metade половина половину 一半 半分 yarisi نصف'),
    -- What was: until it wasn't.
    ('tense', 'formerly former previously until till ex anymore stopped quit ceased
      fruher fruhere fruherer fruheren ehemals ehemalige ehemaliger ehemaligen ehemaliges einst damals vormals
      autrefois jadis ancien ancienne anciens anciennes auparavant avant arrete
      antes anteriormente antiguamente antiguo antigua solia solian dejo antigo antiga outrora costumava costumavam parou
      раньше прежде бывший бывшая бывшего бывшей бывшие бывшую прежний ранее бросил бросила
      以前 曾经 曾經 曾 之前 过去 過去 直到 前妻 前夫 前任 原先 戒了 昔 かつて 元夫 元妻 元彼 元上司 やめた
      eskiden onceden eski birakti سابقا سابق السابق السابقة توقف'),
    -- The same beside a figure: elsewhere they may be about a way, or as much as.
    ('until', 'bis jusqu jusque hasta ate до まで kadar حتى'),
    -- Copulas and their like, whose tense counts where nothing else differs.
    ('past', 'was were had did war waren hatte hatten wurde etait etaient avait avaient fut era eran fue estaba estaban tenia tenian
      estava estavam foi tinha tinham был была было были idi كان كانت كانوا كنت でした だった ました いた あった'),
    -- Opposites.
    ('pole:like+', 'like likes liked love loves enjoy enjoys adore adores mag liebt liebe mogen aime aiment adore adorent apprecie gusta gustan encanta
      encantan ama adora adoram gosta gostam любит любят нравится обожает 喜欢 喜歡 爱 愛 好き 大好き 好む seviyor sever seviyorum hoslaniyor
      يحب تحب يعشق احب'),
    ('pole:like-', 'dislike dislikes hate hates detest detests loathe loathes despise despises hasst verabscheut deteste detestent hait odia odian
      detesta detestan odeia odeiam ненавидит ненавидят терпеть 讨厌 討厭 恨 厌恶 嫌い 大嫌い nefret يكره تكره اكره'),
    ('pole:diet+', 'vegetarian vegan vegetarier vegetarierin veganer veganerin vegetarien vegetarienne vegetaliane vegetariano vegetariana vegano vegana
      вегетарианец вегетарианка веган 素食 素食者 吃素 ベジタリアン 菜食主義 vejetaryen نباتي نباتية'),
    ('pole:diet-', 'meat fleisch viande carne мясо мяса 肉 et اللحم لحم لحوم'),
    ('pole:on+', 'on enabled activated active open opened eingeschaltet aktiviert aktiv offen geoffnet an active activee activees actives allume
      ouvert ouverte ouverts ouvertes activado activada activados activadas encendido abierto abierta abiertos abiertas ativado ativada ativados ativadas
      ligado ligada aberto aberta abertos abertas включен включена включено включены открыт открыта открыто открыты
      开启 打开 開啟 已开启 启用 开着 オン 有効 開いて acik etkin مفعل مفعلة مفتوح مفتوحة'),
    ('pole:on-', 'off disabled deactivated inactive closed shut ausgeschaltet deaktiviert inaktiv geschlossen zu desactive desactivee desactives desactivees
      eteint ferme fermee fermes fermees desactivado desactivada desactivados desactivadas apagado cerrado cerrada cerrados cerradas
      desativado desativada desativados desativadas desligado desligada fechado fechada fechados fechadas
      выключен выключена выключено выключены отключен отключена отключены закрыт закрыта закрыто закрыты
      关闭 關閉 已关闭 禁用 关着 オフ 無効 閉じて kapali معطل معطلة مغلق مغلقة'),
    ('pole:day+', 'morning mornings morgens vormittags fruhaufsteher matin matins matinal manana mananas matutino manha manhas утром утро утра утрам
      早上 早晨 上午 朝 朝型 午前 sabah sabahlari sabahlar الصباح صباحا'),
    ('pole:day-', 'evening evenings night nights abends abend nachts nachteule soir soirs nuit nuits noche noches tarde tardes noite noites
      вечером вечер вечера вечерам ночью 晚上 夜里 夜晚 夜 夜型 晩 aksam aksamlari aksamlar gece geceleri المساء مساء الليل ليلا'),
    ('pole:side+', 'left links linke linken linker gauche izquierda izquierdo esquerda esquerdo слева левый левая левую налево 左 左边 左侧 左手 sol solda يسار اليسرى'),
    ('pole:side-', 'right rechts rechte rechten rechter droite derecha derecho direita direito справа правый правая правую направо 右 右边 右侧 右手 sag sagda يمين اليمنى'),
    ('pole:order+', 'before vor vorher перед 前に 之前先 once قبل'),
    ('pole:order-', 'after nach nachher apres despues depois после 之后 以后 後に 後 sonra بعد'),
    ('pole:married+', 'married verheiratet marie mariee casado casada женат замужем 已婚 结婚 既婚 evli متزوج متزوجة'),
    ('pole:married-', 'unmarried divorced ledig geschieden celibataire divorce divorcee soltero soltera divorciado divorciada solteiro solteira
      divorciada холост разведен разведена 单身 离婚 独身 離婚 bekar bosanmis اعزب عزباء مطلق مطلقة'),
    ('pole:size+', 'big large high tall gross hoch grand grande haut alto высокий большой 大きい 高い buyuk yuksek كبير'),
    ('pole:size-', 'small little low short klein niedrig petit petite bas bajo baixo низкий маленький 小さい 低い kucuk dusuk صغير'),
    ('pole:heat+', 'hot warm heiss chaud chaude caliente quente горячий горячую 热 熱い 暑い sicak ساخن ساخنة'),
    ('pole:heat-', 'cold cool kalt froid froide frio fria холодный холодную 冷 冷たい 寒い soguk بارد باردة'),
    ('pole:pass+', 'passed succeeded accepted approved bestanden angenommen reussi accepte aprobado aceptado aprovado aceito принят одобрен 通过 合格 承認'),
    ('pole:pass-', 'failed rejected declined denied durchgefallen abgelehnt echoue refuse suspendido rechazado reprovado recusado отклонен провалил 失败 不合格 却下'),
    -- Numbers.
    ('number:0', 'zero null zero cero ноль 零 sifir صفر'),
    ('number:1', 'one eins uno один одна одно 1つ 一つ ひとつ 一人 واحد واحدة'),
    ('number:2', 'two zwei deux dos dois duas два две двух 二つ ふたつ 二人 两 兩 两个 兩個 iki اثنان اثنين اثنتان اثنتين'),
    ('number:3', 'three drei trois tres три трех 三つ 三人 三个 三個 三名 三只 uc ثلاثة ثلاث'),
    ('number:4', 'four vier quatre cuatro quatro четыре четырех 四つ 四人 四个 四個 四名 四只 dort اربعة اربع'),
    ('number:5', 'five funf cinq cinco пять пяти 五つ 五人 五个 五個 五名 五只 bes خمسة خمس'),
    ('number:6', 'six sechs seis шесть шести 六つ 六人 六个 六個 六名 alti ستة ست'),
    ('number:7', 'seven sieben sept siete sete семь семи 七つ 七人 七个 七個 yedi سبعة سبع'),
    ('number:8', 'eight acht huit ocho oito восемь восьми 八つ 八人 八个 八個 sekiz ثمانية ثماني ثمان'),
    ('number:9', 'nine neun neuf nueve nove девять девяти 九つ 九人 九个 九個 dokuz تسعة تسع'),
    ('number:10', 'ten zehn dix diez dez десять десяти 十 十人 十个 عشرة عشر'),
    ('turkish:number:10', 'on'),
    ('number:11', 'eleven elf onze once одиннадцать 十一'),
    ('number:12', 'twelve zwolf douze doce doze двенадцать dozen dutzend douzaine docena duzia дюжина 十二'),
    ('number:13', 'thirteen dreizehn treize trece treze тринадцать 十三'), ('number:14', 'fourteen vierzehn quatorze catorce catorze четырнадцать 十四'),
    ('number:15', 'fifteen funfzehn quinze quince пятнадцать 十五'), ('number:16', 'sixteen sechzehn seize dieciseis dezesseis шестнадцать 十六'),
    ('number:17', 'seventeen siebzehn diecisiete dezessete семнадцать 十七'), ('number:18', 'eighteen achtzehn dieciocho dezoito восемнадцать 十八'),
    ('number:19', 'nineteen neunzehn diecinueve dezenove девятнадцать 十九'), ('number:20', 'twenty zwanzig vingt veinte vinte двадцать 二十 yirmi عشرون عشرين'),
    ('number:30', 'thirty dreissig trente treinta trinta тридцать 三十 otuz ثلاثون ثلاثين'), ('number:40', 'forty vierzig quarante cuarenta quarenta сорок 四十 kirk اربعون اربعين'),
    ('number:50', 'fifty funfzig cinquante cincuenta cinquenta пятьдесят 五十 elli خمسون خمسين'), ('number:60', 'sixty sechzig soixante sesenta sessenta шестьдесят 六十 altmis ستون ستين'),
    ('number:70', 'seventy siebzig setenta семьдесят 七十 yetmis سبعون'), ('number:80', 'eighty achtzig ochenta oitenta восемьдесят 八十 seksen ثمانون'),
    ('number:90', 'ninety neunzig noventa девяносто 九十 doksan تسعون'), ('number:100', 'hundred hundert cent cien ciento cem сто 百 yuz مئة مائة'),
    ('number:1000', 'thousand tausend mille mil тысяча тысячи тысяч 千 bin الف الاف'), ('number:1000000', 'million millionen millions millon millones milhao milhoes миллион миллиона миллионов 百万 milyon مليون'),
    ('number:1st', 'first erste ersten erster erstes premier premiere primero primera primeiro primeira первый первая первое первого 第一 birinci ilk الاول الاولى'),
    ('number:2nd', 'second zweite zweiten zweiter zweites deuxieme segundo segunda второй вторая второе второго 第二 ikinci الثاني الثانية'),
    ('number:3rd', 'third dritte dritten dritter drittes troisieme tercero tercera terceiro terceira третий третья третье третьего 第三 ucuncu الثالث الثالثة'),
    ('number:4th', 'fourth vierte vierten quatrieme cuarto cuarta четвертый 第四 dorduncu'), ('number:5th', 'fifth funfte funften cinquieme quinto quinta пятый 第五 besinci'),
    -- Dates. `may` and `march` are months only with a capital letter or beside a number.
    ('month:1', 'january januar janner janvier enero janeiro январь января январе 一月 1月 ocak ocakta يناير'),
    ('month:2', 'february februar fevrier febrero fevereiro февраль февраля феврале 二月 subat subatta فبراير'),
    ('month:3', 'march marz mars marzo marco март марта марте 三月 martta مارس'),
    ('month:4', 'april avril abril апрель апреля апреле 四月 nisan nisanda ابريل'),
    ('month:5', 'may mai mayo maio май мая мае 五月 mayis mayista مايو'),
    ('month:6', 'june juni juin junio junho июнь июня июне 六月 haziran haziranda يونيو'),
    ('month:7', 'july juli juillet julio julho июль июля июле 七月 temmuz temmuzda يوليو'),
    ('month:8', 'august aout agosto август августа августе 八月 agustos agustosta اغسطس'),
    ('month:9', 'september septembre septiembre setembro сентябрь сентября сентябре 九月 eylul eylulde سبتمبر'),
    ('month:10', 'october oktober octobre octubre outubro октябрь октября октябре 十月 ekim ekimde اكتوبر'),
    ('month:11', 'november novembre noviembre novembro ноябрь ноября ноябре 十一月 kasim kasimda نوفمبر'),
    ('month:12', 'december dezember decembre diciembre dezembro декабрь декабря декабре 十二月 aralik aralikta ديسمبر'),
    ('abbreviated:1', 'jan'), ('abbreviated:2', 'feb fev'), ('abbreviated:3', 'mar'), ('abbreviated:4', 'apr avr abr'), ('abbreviated:6', 'jun'),
    ('abbreviated:7', 'jul'), ('abbreviated:8', 'aug ago'), ('abbreviated:9', 'sep'), ('abbreviated:10', 'oct okt'), ('abbreviated:11', 'nov'), ('abbreviated:12', 'dec dez dic'),
    ('day:mo', 'monday mondays montag montags lundi lundis lunes понедельник понедельника понедельникам 星期一 周一 週一 月曜 月曜日 pazartesi الاثنين'),
    ('day:tu', 'tuesday tuesdays dienstag dienstags mardi mardis martes terca вторник вторника вторникам 星期二 周二 火曜 火曜日 sali الثلاثاء'),
    ('day:we', 'wednesday wednesdays mittwoch mittwochs mercredi mercredis miercoles quarta среду среда средам 星期三 周三 水曜 水曜日 carsamba الاربعاء'),
    ('day:th', 'thursday thursdays donnerstag donnerstags jeudi jeudis jueves четверг четверга четвергам 星期四 周四 木曜 木曜日 persembe الخميس'),
    ('day:fr', 'friday fridays freitag freitags vendredi vendredis viernes sexta пятницу пятница пятницам 星期五 周五 金曜 金曜日 cuma الجمعة'),
    ('day:sa', 'saturday saturdays samstag samstags sonnabend samedi samedis sabado sabados субботу суббота субботам 星期六 周六 土曜 土曜日 cumartesi السبت'),
    ('day:su', 'sunday sundays sonntag sonntags dimanche dimanches domingo domingos воскресенье воскресеньям 星期日 星期天 周日 日曜 日曜日 pazar الاحد'),
    ('day:yesterday', 'yesterday gestern hier ayer ontem вчера 昨天 昨日 dun امس'),
    ('day:today', 'today heute aujourd hoy hoje сегодня 今天 今日 bugun اليوم'),
    ('day:tomorrow', 'tomorrow demain amanha завтра 明天 明日 yarin غدا'),
    ('part', '年 月 日 时 時 点 點 號'),
    ('half:am', 'am'), ('half:pm', 'pm'),
    ('rank', 'st nd rd th'),
    -- Units, which count beside a number.
    ('unit:km', 'km kilometer kilometers kilometre kilometres kilometern kilometro kilometros quilometro quilometros километр километра километров километрах км
      公里 千米 キロメートル كيلومتر كيلومترا كيلومترات كم'),
    ('unit:mi', 'mi mile miles meile meilen milla millas milha milhas миля мили миль 英里 マイル mil ميل اميال ميلا'),
    ('unit:m', 'm meter meters metre metres metern metro metros метр метра метров 米 メートル متر مترا امتار'),
    ('unit:cm', 'cm centimeter centimeters zentimeter centimetre centimetres centimetro centimetros сантиметр сантиметров см 厘米 センチ santim santimetre سم'),
    ('unit:ft', 'ft foot feet fuss pieds pies pes фут фута футов 英尺 フィート قدم'), ('unit:in', 'inch inches zoll pouces pulgadas polegadas дюйм дюймов 英寸 インチ inc بوصة'),
    ('unit:kg', 'kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos quilo quilos килограмм килограмма килограммов кг 公斤 千克
      キログラム キロ كيلوغرام كيلوغراما كيلو كغ كجم'),
    ('unit:lb', 'lb lbs pound pounds pfund livre livres libra libras фунт фунта фунтов 磅 ポンド رطل'),
    ('unit:g', 'g gram grams gramm gramme grammes gramo gramos grama gramas грамм грамма граммов 克 グラム غرام جرام'), ('unit:oz', 'oz ounce ounces'),
    ('unit:l', 'l liter liters litre litres litern litro litros литр литра литров 升 リットル لتر'), ('unit:gal', 'gallon gallons'), ('unit:ml', 'ml мл 毫升'),
    ('unit:s', 's sec secs seconds sekunde sekunden seconde secondes segundos секунда секунды секунд 秒 秒钟 saniye ثانية ثوان'),
    ('unit:min', 'min mins minute minutes minuten minuto minutos минута минуты минут 分钟 分鐘 分間 分 dakika دقيقة دقائق'),
    ('unit:h', 'h hr hrs hour hours stunde stunden heure heures hora horas час часа часов 小时 小時 時間 saat ساعة ساعات'),
    ('unit:d', 'day days tag tage tagen jour jours dia dias день дня дней 天 日間 gun يوم ايام يوما'),
    ('unit:w', 'week weeks woche wochen semaine semaines semana semanas неделя недели недель 周 星期 週間 hafta اسبوع اسابيع'),
    ('unit:mo', 'month months monat monate monaten mois mes meses месяц месяца месяцев 个月 個月 か月 ヶ月 ay شهر اشهر شهور'),
    ('unit:y', 'year years jahr jahre jahren an ans annee annees ano anos год года лет 岁 歲 歳 yil yas yasinda سنة سنوات عام اعوام عاما'),
    ('unit:eur', '€ eur euro euros евро 欧元 歐元 ユーロ avro يورو'), ('unit:usd', '$ usd dollar dollars dolar dolares доллар доллара долларов 美元 ドル دولار دولارا دولارات'),
    ('unit:gbp', '£ gbp 英镑'), ('unit:jpy', '¥ jpy yen 日元 円 ين'), ('unit:cny', 'cny rmb yuan 人民币 元 块 يوان'), ('unit:rub', '₽ rub рубль рубля рублей руб'),
    ('unit:try', '₺ try lira ليرة'), ('unit:brl', 'brl real reais'), ('unit:chf', 'chf franken'), ('unit:sar', 'ريال ريالا'), ('unit:aed', 'درهم درهما'),
    ('unit:%', '% yuzde percent prozent pourcent porcento процент процента процентов パーセント'),
    ('unit:deg', '° degree degrees grad degres degre grados graus градус градуса градусов 度 derece درجة درجات'), ('unit:c', '°c celsius'), ('unit:f', '°f fahrenheit'),
    ('unit:mg', 'mg мг 毫克 ミリグラム'), ('unit:mm', 'mm мм 毫米 ミリ'), ('unit:kcal', 'kcal calories kalorien calorias калорий ккал'), ('unit:bpm', 'bpm'), ('unit:kb', 'kb'), ('unit:mb', 'mb мб'), ('unit:gb', 'gb go гб'), ('unit:tb', 'tb to тб'), ('unit:kwh', 'kwh'), ('unit:w', 'watt watts'),
    ('unit:ms', 'ms millisecond milliseconds'), ('unit:kmh', 'kmh kph'), ('unit:mph', 'mph'))
  select jsonb_object_agg(word, class order by at desc)
    from (select class, row_number() over () as at, words from lists) as numbered, regexp_split_to_table(fold(words), ' ') as word
$$;

-- What words mean where a number differs: is that a quantity that moved, or does the number say which one is meant?
create function guard_trackers() returns jsonb
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
  with lists (class, words) as (values
    -- The number after these is a state.
    ('state', 'is are contains contain holds counts totals stands remains remain costs cost takes lasts needs requires weighs weigh equals measures reached exceeds amounts scores
      ist sind betragt liegt steht stehen enthalt enthalten umfasst zahlt kostet kosten dauert braucht wiegt misst bleiben verbleiben gibt
      est sont compte comptent contient contiennent eleve atteint coute coutent prend dure pese mesure reste restent
      es son esta estan hay contiene contienen cuenta cuesta cuestan tarda dura lleva pesa mide queda quedan asciende
      e sao fica ficam ha contem conta custa custam leva demora dura resta restam sobram mede chega
      составляет составляют насчитывает равен равна равно содержит стоит стоят занимает длится весит осталось остается остались достиг достигла имеется
      有 是 为 為 共 剩 还剩 還剩 共有 达 达到 等于 需要 です だ ある あります いる います かかる かかります 残り kaldi هو هي يبلغ تبلغ يحتوي تحتوي يوجد توجد بقي بقيت يساوي يزن يستغرق'),
    ('have', 'has have hat haben a ont tiene tienen tem имеет var لديه لديها لدى'),
    -- These may stand between.
    ('filler', 'at to now about around approximately currently over nearly up down still already on of in bei auf zu im jetzt etwa ungefahr rund noch aktuell derzeit
      de du d en encore maintenant environ actuellement ya ahora unos unas aproximadamente con al agora cerca com около примерно сейчас теперь уже еще на до
      目前 现在 約 约 على الى حوالي الان حاليا 还 已'),
    -- One at a time, whenever it is.
    ('cue', 'last latest current currently next now far deadline due letzte letzter letzten letztes aktuell aktuelle derzeit bisher bislang stand nachste nachster frist
      dernier derniere actuel actuelle actuellement prochain prochaine ici ultimo ultima actual actualmente momento proximo proxima atual atualmente prazo
      последний последняя последнее последнего сейчас текущий текущая следующий срок пока 目前 上次 最后 最近一次 当前 截至 至今 迄今 現在 最後 最新 前回 次回 これまで
      son simdi simdiye su guncel اخر حاليا الحالي الحالية'),
    -- What has one figure at a time.
    ('head', 'balance queue temperature score count level stock total usage weight price rent population size length rate percentage progress goal target limit budget
      salary income debt capacity speed rating mileage humidity pressure altitude record
      kontostand warteschlange temperatur punktestand anzahl bestand summe gewicht preis miete fortschritt ziel grenze budget gehalt kapazitat
      geschwindigkeit luftfeuchtigkeit
      solde file temperature score nombre stock total poids prix loyer objectif limite salaire capacite vitesse saldo cola temperatura puntuacion numero total peso precio alquiler objetivo
      meta presupuesto salario capacidad velocidad fila pontuacao estoque preco aluguel orcamento capacidade velocidade баланс очередь очереди температура количество число остаток вес цена рост цель лимит бюджет зарплата скорость
      余额 余額 队列 温度 库存 总数 体重 价格 租金 分数 人数 残高 キュー 在庫 合計 体重 価格 家賃 登録者 残席 気温 目标 上限 预算 工资 速度 目標 予算 給料
      orani oran doluluk yuzde bakiye kuyruk kuyrukta sicaklik sicakligi stok toplam kilo kilosu fiyat kira skor hedef hedefi limit butce maas maasi hiz hizi الرصيد رصيد نسبة درجة حرارة عدد وزن سعر المجموع الايجار الطابور الهدف الميزانية الراتب السرعة'),
    -- What is counted.
    ('counted', 'item items message messages user users ticket tickets task tasks error errors order orders request requests customer customers
      follower followers point points email emails file files row rows record records people member members subscriber subscribers issue issues star stars
      eintrage nachrichten aufgaben fehler kunden mitglieder abonnenten punkte elements messages taches clients abonnes membres places incidents
      elementos mensajes tareas errores clientes suscriptores miembros plazas incidencias itens mensagens tarefas erros inscritos vagas chamados membros
      элемент элемента элементов сообщение сообщений сообщения задача задачи задач ошибка ошибки ошибок клиентов заказов подписчик подписчика подписчиков
      участник участника участников мест места заявка заявки заявок 件 个 個 人 名 席 本 条 点 oge mesaj gorev hata abone abonesi uye yer kayit
      عنصر عنصرا عناصر رسالة مشترك مشتركا عضو تذكرة مقعدا'),
    -- Where somebody is in what they go through.
    ('progress', 'page pages chapter level lesson episode step stage week round phase sprint module seite kapitel lektion folge stufe woche runde
      chapitre page lecon etape semaine manche capitulo pagina leccion nivel semana fase ronda licao etapa hafta haftasinda глава главе страница странице урок уроке неделе этапе раунде'),
    -- What happened may happen again.
    ('event', 'read won lost saw born met ran went bought got ate took gave given wrote sold paid made did drove flew sent found built
      drank swam caught broke gelesen gewonnen verloren gesehen geboren getroffen gekauft lu gagne perdu vu achete leyo gano perdio vio nacio
      compro leu ganhou perdeu viu nasceu comprou'),
    -- The number says which one.
    ('named', 'room flight bus train line gate platform seat invoice bill ticket number no nr num id pin code version release account phone apartment house
      floor chapter route order case issue zimmer flug zug linie gleis sitz rechnung nummer konto telefon wohnung haus etage fassung chambre vol ligne
      quai siege facture numero appartement etage habitacion vuelo autobus tren linea puerta anden asiento factura piso quarto voo onibus
      trem linha portao fatura комната рейс автобус поезд линия счет счёт номер квартира дом этаж код 号 號 路 室 房间 航班 发票 請求書 号室 号线 番 番線
      numarali nolu oda fatura الغرفة الفاتورة رقم الرحلة غرفة فاتورة # №'),
    -- The number is part of saying which one.
    ('relative', 'who which that whose der die dessen deren qui dont que quien cuyo который которая которое которому которой которым которого 的 الذي التي عمره عمرها yasinda'))
  select jsonb_object_agg(word, classes)
    from (select word, jsonb_object_agg(class, true) as classes from lists, regexp_split_to_table(fold(words), ' ') as word group by word) as found
$$;

-- With which signs the known words of scripts without spaces begin, and how long the longest of each is.
create function guard_starts() returns jsonb
language sql immutable parallel safe set search_path = memoranda_private, pg_temp
as $$
  select jsonb_object_agg(sign, longest)
    from (select left(word, 1) as sign, max(char_length(word)) as longest
            from (select jsonb_object_keys(guard_words()) union select jsonb_object_keys(guard_trackers())) as known (word)
           where char_length(word) > 1 and ascii(word) > 12352
           group by 1) as starts
$$;

set local role memoranda_owner;
revoke create on schema memoranda_private from memoranda_rules;
reset role;
